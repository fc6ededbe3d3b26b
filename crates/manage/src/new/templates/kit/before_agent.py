import datetime


# call.prompt is what the user wrote.
@hook.before_agent
def today(call):
    return context(f"Today is {datetime.date.today().isoformat()}.")


run()
